"""From a prompt to a picture: the generators, what each needs, and requests that they all take."""
