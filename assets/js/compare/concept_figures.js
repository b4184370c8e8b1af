// The figures of a concept: drawn by plotly, and linked: a bin below the mouse is marked and named
// in all of them at once.
import { make } from '../shared/dom.js';
import { plotlyOf, themed } from '../shared/chart.js';
import { figure, saveImage } from '../shared/figure.js';

const PRINTED = {
  '--th-ink': '#1c1c1c',
  '--th-soft': '#5d5d5d',
  '--th-line': '#c6c6c6',
  '--th-panel': '#ffffff',
};

export function linkedFigures(box, { tell, open }) {
  const tip = box.querySelector('.th-concept-tip');
  const panes = new Map();
  let bin = null;
  let bins = [];

  box.querySelectorAll('.th-concept-figure').forEach((frame) => {
    const node = make('div', 'th-figure');
    const over = make('div', 'th-concept-over');
    over.setAttribute('aria-hidden', 'true');
    frame.append(node, over);
    const pane = {
      name: frame.dataset.figure,
      frame,
      node,
      over,
      data: null,
      columns: ['histograms', 'mirrored'].includes(frame.dataset.figure),
    };
    panes.set(pane.name, pane);
    frame.addEventListener('mousemove', (event) => {
      if (pane.columns) mark(column(pane, event), event);
      else if (bin !== null) arrange(event);
    });
    frame.addEventListener('mouseleave', () => mark(null));
    frame.addEventListener('click', () => {
      if (bin !== null) open(bin);
    });
    if (pane.columns) {
      frame.tabIndex = 0;
      frame.setAttribute('role', 'group');
      frame.setAttribute(
        'aria-label',
        pane.name + ': arrow keys go from bin to bin, Enter lists its images',
      );
      frame.addEventListener('keydown', (event) => {
        const order = orderOf(pane);
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step && order.length) {
          mark(order[(order.indexOf(bin) + step + order.length) % order.length], null, pane);
          event.preventDefault();
        }
        if ((event.key === 'Enter' || event.key === ' ') && bin !== null) {
          open(bin);
          event.preventDefault();
        }
        if (event.key === 'Escape') mark(null);
      });
      frame.addEventListener('blur', () => mark(null));
    }
  });
  const traces = (pane, kind) =>
    (pane.node._fullData || []).filter((trace) => trace.meta && trace.meta.is === kind);
  function orderOf(pane) {
    const first = traces(pane, 'strip')[0];
    return first ? [...first.customdata] : [];
  }
  // The bin whose column is below the mouse, also where its bar is empty.
  function column(pane, event) {
    const layout = pane.node._fullLayout;
    const order = orderOf(pane);
    if (!layout || !order.length) return null;
    const axis = layout.xaxis;
    const index = Math.round(
      axis.p2l(event.clientX - pane.node.getBoundingClientRect().left - axis._offset),
    );
    return index >= 0 && index < order.length ? order[index] : null;
  }
  function mark(next, event, index) {
    if (next !== bin) {
      bin = next;
      panes.forEach(lit);
      if (bin !== null) tip.replaceChildren(...describe(bin));
    }
    tip.hidden = bin === null || !(event || index);
    if (bin === null) return;
    if (event) arrange(event);
    else if (index) {
      const line = index.over.firstChild;
      const around = (line || index.frame).getBoundingClientRect();
      arrange({ clientX: around.left, clientY: index.frame.getBoundingClientRect().top + 40 });
    }
  }
  function arrange(event) {
    const wide = tip.offsetWidth;
    const high = tip.offsetHeight;
    const gap = 16;
    const left =
      event.clientX + gap + wide > window.innerWidth
        ? event.clientX - gap - wide
        : event.clientX + gap;
    const top =
      event.clientY + gap + high > window.innerHeight
        ? event.clientY - gap - high
        : event.clientY + gap;
    tip.style.left = Math.max(4, left) + 'px';
    tip.style.top = Math.max(4, top) + 'px';
  }
  // Where the bin is, in every figure that draws bins.
  function lit(pane) {
    pane.over.replaceChildren();
    const layout = pane.node._fullLayout;
    if (bin === null || !layout || pane.frame.offsetParent === null) return;
    if (pane.columns) {
      const position = orderOf(pane).indexOf(bin);
      const axis = layout.xaxis;
      if (position < 0) return;
      const line = make('i', 'th-concept-column');
      const from = axis.l2p(position - 0.5);
      const to = axis.l2p(position + 0.5);
      line.style.left = axis._offset + from + 'px';
      line.style.width = to - from + 'px';
      pane.over.append(line);
      return;
    }
    const dots = traces(pane, 'dots')[0];
    if (!dots) return;
    const index = [...dots.customdata].indexOf(bin);
    const ring = make('i', 'th-concept-ring');
    ring.style.left = layout.xaxis._offset + layout.xaxis.l2p(dots.x[index]) + 'px';
    ring.style.top = layout.yaxis._offset + layout.yaxis.l2p(dots.y[index]) + 'px';
    pane.over.append(ring);
  }
  function describe(index) {
    const item = bins[index];
    const head = make('p', 'th-concept-tip-head');
    const patch = make('i');
    const lab = make('p', 'th-soft', labWords(item));
    patch.style.background = item.hex;
    head.append(patch, make('b', '', item.name));
    return [head, make('p', '', 'Bin ' + item.index + ' · ' + item.hex), lab, ...tell(index)];
  }
  return {
    bins(list) {
      bins = list;
    },
    draw(figures) {
      mark(null);
      return Promise.all(
        [...panes.values()].map(async (pane) => {
          pane.data = figures[pane.name] || null;
          if (!pane.data) return;
          pane.frame.style.minHeight = pane.data.height + 'px';
          await figure(pane.node, pane.data);
          if (!pane.node.on || pane.linked) return;
          pane.linked = true;
          pane.node.on('plotly_hover', (event) => {
            const point = event.points.find((each) => each.customdata !== undefined);
            if (point && !pane.columns) mark(point.customdata, event.event);
          });
          pane.node.on('plotly_unhover', () => {
            if (!pane.columns) mark(null);
          });
        }),
      );
    },
    again() {
      panes.forEach((pane) => {
        if (pane.data && pane.frame.offsetParent !== null) figure(pane.node, pane.data);
      });
    },
    // For paper: always ink on white, whatever the page is.
    async save(name, file, format) {
      const pane = panes.get(name);
      const data = themed(plotlyOf(pane.data), { getPropertyValue: (each) => PRINTED[each] || '' });
      const layout = {
        ...data.layout,
        paper_bgcolor: '#ffffff',
        font: { ...data.layout.font, family: 'Helvetica, Arial, sans-serif' },
      };
      await saveImage({ data: data.data, layout }, pane.node.clientWidth, file, format);
    },
    mark,
    bin: () => bin,
  };
}
export function signedNumber(value) {
  return (Math.abs(value) < 0.005 ? 0 : value).toFixed(2).replace('-', '−');
}
export function labWords(item) {
  return (
    'L* ' +
    item.lab[0].toFixed(0) +
    ' · a* ' +
    signedNumber(item.lab[1]) +
    ' · b* ' +
    signedNumber(item.lab[2]) +
    ' (D65, 2°)'
  );
}
export function percent(share) {
  return share > 0 && share < 0.0005 ? '< 0.1%' : (100 * share).toFixed(1) + '%';
}
