import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  INodeProperties,
} from 'n8n-workflow';
import { baseUrl, hooksPrefix } from './service-properties';

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
        'An API key (fhk_…) with the scopes that the nodes need: hooks:write for the trigger, flows:publish to publish, deliveries:read to list deliveries, flows:read to list and explain flow events. An admin key works too.',
      required: true,
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

  // No route answers 2xx to every key. This one answers an error to each, which tells what is wrong: the key, or only the limit or a scope.
  test: ICredentialTestRequest = {
    request: {
      baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}',
      url: '/admin/api/deliveries',
      qs: { orgId: '={{$credentials.orgId}}', limit: 0 },
      ignoreHttpStatusErrors: true,
    },
    rules: [
      {
        type: 'responseSuccessBody',
        properties: { key: 'error', value: 'unauthenticated', message: 'The service does not accept this key' },
      },
      {
        type: 'responseSuccessBody',
        properties: {
          key: 'requestId',
          value: undefined,
          message: 'There is no Flow Hooks service at this address',
        },
      },
    ],
  };
}
