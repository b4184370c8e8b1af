"""From what participants did to what counts: answers, votes, win rates, side bias."""
