import type { INodeProperties } from 'n8n-workflow';

export const baseUrl: INodeProperties = {
  displayName: 'Base URL',
  name: 'baseUrl',
  type: 'string',
  default: '',
  placeholder: 'https://hooks.example.com',
  description: 'The address of the Flow Hooks service',
  required: true,
};

export const hooksPrefix: INodeProperties = {
  displayName: 'Prefix of the Listener Routes',
  name: 'hooksPrefix',
  type: 'string',
  default: '/api/hooks',
  description: 'The setting HOOKS_PREFIX of the service',
};

/** The test of a credential fails with this message if a field of the answer has this value. */
export const failsWith = (key: string, value: string | undefined, message: string) => ({
  type: 'responseSuccessBody' as const,
  properties: { key, value, message },
});
