compareView('modifiers', { shown() {} });
