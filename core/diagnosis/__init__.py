"""The measure, measured: how often each rule is right on objects whose color is known exactly."""
