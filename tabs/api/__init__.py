"""What programs call: the same use cases as the page, by Gradio's API and as tools of MCP."""
