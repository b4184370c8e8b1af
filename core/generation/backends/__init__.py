"""What draws: diffusers, Janus, servers, and the reference renderer."""
