compareView('people', { shown() {} });
