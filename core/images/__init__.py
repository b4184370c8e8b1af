"""Decoding of image files to sRGB pixels, and of pixels inside masks to distinct colors."""
