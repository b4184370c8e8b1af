compareView('tables', { shown() {} });
