compareView('guidance', { shown() {} });
