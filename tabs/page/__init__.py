"""What all features share: context, errors in words, answers, jobs, links, widgets."""
