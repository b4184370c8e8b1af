compareView('concept', { shown() {} });
