"""Questions in studies: the available sets, the sampling from them, and people's accuracy."""
