"""Image files to sRGB pixels, and pixels inside of masks to distinct colors."""
