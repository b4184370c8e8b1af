"""What people see: one module a tab, no arithmetic."""
