import type { INodeCredentialDescription, INodeProperties } from 'n8n-workflow';

/** The credentials of both nodes, and the choice between them. */
export const credentials: INodeCredentialDescription[] = [
  { name: 'flowHooksApi', required: true, displayOptions: { show: { authentication: ['apiKey'] } } },
  { name: 'flowHooksOAuth2Api', required: true, displayOptions: { show: { authentication: ['oAuth2'] } } },
];

export const authentication: INodeProperties = {
  displayName: 'Authentication',
  name: 'authentication',
  type: 'options',
  options: [
    { name: 'API Key', value: 'apiKey' },
    { name: 'OAuth2', value: 'oAuth2' },
  ],
  default: 'apiKey',
};
