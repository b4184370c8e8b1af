import{g as a,h as b,i as c}from"./DWKLCOGT.js";import"./7OBWYZI5.js";export{b as largePng,a as sharp,c as smoother};
