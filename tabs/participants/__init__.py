"""What participants of studies see and send: links without accounts, trials, answers, the end."""
