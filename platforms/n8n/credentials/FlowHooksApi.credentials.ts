import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  INodeProperties,
} from 'n8n-workflow';
import { baseUrl, failsWith, hooksPrefix } from './service-properties';

export class FlowHooksApi implements ICredentialType {
  name = 'flowHooksApi';

  displayName = 'Flow Hooks API';

  icon: Icon = { light: 'file:../icons/flow-hooks.svg', dark: 'file:../icons/flow-hooks.dark.svg' };

  documentationUrl = 'https://hooks.example.com/docs';

  properties: INodeProperties[] = [
    baseUrl,
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description:
        'An API key (fhk_…) with the scopes that the nodes need: listeners:write for the trigger, flows:publish to publish, deliveries:read to list deliveries, flows:read to list and explain flow events. An admin key works too, except for the trigger.',
      required: true,
    },
    {
      displayName: 'Used To',
      name: 'scopes',
      type: 'multiOptions',
      options: [
        { name: 'List and Explain Flow Events', value: 'flows:read' },
        { name: 'List Deliveries', value: 'deliveries:read' },
        { name: 'Publish Flow Events', value: 'flows:publish' },
        { name: 'Start Workflows', value: 'listeners:write' },
      ],
      default: ['listeners:write'],
      description: 'What the key has to permit. n8n checks it when the credential is saved.',
    },
    {
      displayName: 'Organisation ID',
      name: 'orgId',
      type: 'string',
      default: '',
      description: 'The organisation whose flow events are received and published',
      required: true,
    },
    hooksPrefix,
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };

  test: ICredentialTestRequest = {
    request: {
      baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}',
      url: '/test',
      // The service reads headers as UTF-8; n8n writes each character as one byte.
      headers: {
        orgid:
          '={{encodeURIComponent($credentials.orgId).replace(/%(..)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)))}}',
      },
      qs: { scope: '={{$credentials.scopes.join(" ") || undefined}}' },
      ignoreHttpStatusErrors: true, // n8n shows no message of a body with another status than 2xx
    },
    rules: [
      failsWith('error', 'unauthenticated', 'The service does not accept this key'),
      failsWith('error', 'forbidden', 'This key is for another organisation'),
      failsWith('error', 'insufficient_scope', 'This key does not permit all that "Used To" names'),
      failsWith('success', undefined, 'There is no Flow Hooks service at this address, or it cannot answer now'),
    ],
  };
}
