"""Analysis of participants' events: valid answers, votes, win rates, side bias."""
