// The rules of n8n's linter as `@n8n/node-cli` puts them together, without that package, which installs 700 MB.
// Left out are its checks of imports, which the compiler makes. `npm run test:n8n` of the whole repository runs `n8n-node lint` itself.
import eslint from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { defineConfig, globalIgnores } from 'eslint/config';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

const community = n8nCommunityNodesPlugin.configs.recommended;

export default defineConfig(
  globalIgnores(['dist']),
  {
    files: ['**/*.ts'],
    extends: [eslint.configs.recommended, tseslint.configs.recommended, community],
    rules: { 'prefer-spread': 'off', 'no-console': 'error' },
  },
  { plugins: { 'n8n-nodes-base': n8nNodesBase } },
  {
    files: ['package.json'],
    extends: [community],
    rules: n8nNodesBase.configs.community.rules,
    languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
  },
  {
    files: ['credentials/**/*.ts'],
    rules: {
      ...n8nNodesBase.configs.credentials.rules,
      'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
      'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
    },
  },
  {
    files: ['nodes/**/*.ts'],
    rules: {
      ...n8nNodesBase.configs.nodes.rules,
      'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
      'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
      'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
    },
  },
);
