import js from '@eslint/js';
import globals from 'globals';

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: 'module', globals: globals.browser },
    rules: {
      eqeqeq: 'error',
      'max-len': ['error', { code: 110, ignoreStrings: true, ignoreTemplateLiterals: true }],
      'no-var': 'error',
      'one-var': ['error', 'never'],
      'prefer-const': 'error',
    },
  },
  {
    files: ['bundle.js', 'tests/**'],
    languageOptions: { globals: { ...globals.browser, ...globals.node } },
  },
];
