import { listClientsRoute, registerClientRoute } from '../../../admin/api/contracts/clients.js';
import { routeAction } from '../../../site/derived/route-action.js';
import { routeList } from '../../../site/derived/route-list.js';
import type { Subject } from '../../../site/page-view.js';
import { clientHref, clientPage, secretView } from './client.js';

/** `/clients`: the registered platforms; registering, changing, rotating secrets and removing. */
export const clientPages: Subject = (site) => {
  const register = routeAction(site, '/clients/new', registerClientRoute, {
    label: 'Register',
    link: 'Register a client',
    title: 'Register a client',
    primary: true,
    once: true,
    card: '',
    fields: {
      name: 'Name',
      clientId: { label: 'Client ID', maxLength: 64, hint: 'Permanent. Empty: one is generated' },
      type: {
        label: 'Type',
        choices: {
          confidential: 'Confidential: it keeps a secret',
          public: 'Public: it has no secret, and uses PKCE',
        },
      },
      redirectUris: { label: 'Redirect URIs', lines: 3, hint: 'One on each line' },
      scopes: 'Scopes',
    },
    done: 'The client is registered.',
    answers: ({ clientId, clientSecret }, at) =>
      clientSecret === undefined ? { href: clientHref(at, clientId) } : secretView(at, clientId, clientSecret),
  });

  routeList(site, '/clients', listClientsRoute, {
    title: 'Clients',
    lead: 'Platforms whose users sign in here. Once one is registered, the token routes require a client.',
    keyOf: ({ clientId }) => clientId,
    actions: (at) => register.button(at),
    columns: (at) => ({
      Name: ({ name, clientId }) => <a href={clientHref(at, clientId)}>{name}</a>,
      'Client ID': ({ clientId }) => <code>{clientId}</code>,
      Type: 'type',
      Scopes: 'scopes',
      Secrets: { show: ({ secrets }) => secrets.length, numeric: true },
      Registered: 'registeredAt',
    }),
    empty: {
      title: 'No clients are registered',
      text: 'Until one is, every platform may exchange codes and refresh tokens. Register each with its redirect URIs, here or with:',
      command: 'clients add --name Zapier --redirect-uri https://zapier.com/dashboard/auth/oauth/return/App123/',
    },
  });

  clientPage(site);
};
