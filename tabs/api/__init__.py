"""The API for programs: the page's use cases through Gradio's API and as MCP tools."""
