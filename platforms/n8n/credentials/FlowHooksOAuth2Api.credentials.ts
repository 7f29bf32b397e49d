import type { ICredentialTestRequest, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';
import { baseUrl, failsWith, hooksPrefix } from './service-properties';

export class FlowHooksOAuth2Api implements ICredentialType {
  name = 'flowHooksOAuth2Api';

  extends = ['oAuth2Api'];

  displayName = 'Flow Hooks OAuth2 API';

  icon: Icon = { light: 'file:../icons/flow-hooks.svg', dark: 'file:../icons/flow-hooks.dark.svg' };

  documentationUrl = 'https://hooks.example.com/docs';

  properties: INodeProperties[] = [
    baseUrl,
    hooksPrefix,
    {
      displayName: 'Grant Type',
      name: 'grantType',
      type: 'hidden',
      default: 'authorizationCode',
    },
    {
      displayName: 'Authorization URL',
      name: 'authUrl',
      type: 'hidden',
      default: '={{$self["baseUrl"].replace(/\\/+$/, "")}}/oauth2',
      required: true,
    },
    // n8n refreshes tokens here too: the service exchanges refresh tokens at `/access` as at `/refresh`.
    {
      displayName: 'Access Token URL',
      name: 'accessTokenUrl',
      type: 'hidden',
      default: '={{$self["baseUrl"].replace(/\\/+$/, "")}}/access',
      required: true,
    },
    // Without a scope, the service grants all that the client may have.
    {
      displayName: 'Scope',
      name: 'scope',
      type: 'hidden',
      default: '',
    },
    {
      displayName: 'Auth URI Query Parameters',
      name: 'authQueryParameters',
      type: 'hidden',
      default: '',
    },
    {
      displayName: 'Authentication',
      name: 'authentication',
      type: 'hidden',
      default: 'header',
    },
  ];

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}', url: '/test' },
    rules: [failsWith('success', undefined, 'There is no Flow Hooks service at this address')],
  };
}
