"""Which pixels are the object: a person's marks, GrabCut, white ground; cleaned, shown and told."""
