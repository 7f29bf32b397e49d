import { isDocumentUrl } from '../../../access/clients/client-documents.js';
import { listSessionsRoute, revokeSessionsRoute } from '../../../admin/api/contracts/sessions.js';
import { InvalidRequest } from '../../../kernel/domain-error.js';
import { StateWord } from '../../../site/components/shown.js';
import { routeAction } from '../../../site/derived/route-action.js';
import { routeList } from '../../../site/derived/route-list.js';
import type { PageRequest, Query } from '../../../site/page-request.js';
import type { Subject } from '../../../site/page-view.js';
import { eachPage } from '../each-page.js';
import { organisationField } from '../organisation.js';

/** Properties by which sessions are revoked together. */
const properties = { orgId: 'Organisation', userId: 'User', clientId: 'Client' } as const;
const labels = { ...properties, sessionId: 'Session' } as const;

const chosen = ({ query }: PageRequest) => query.pick(...Object.keys(properties));

/** `/sessions`: users' sessions at platforms, and their revocation. */
export const sessionPages: Subject = (site) => {
  const revoke = routeAction(site, '/sessions/revoke', revokeSessionsRoute, {
    label: 'Revoke',
    carries: Object.keys(labels),
    async read({ query }) {
      const named = query.pick(...Object.keys(labels));
      if (Object.keys(named).length > 0) return named;
      throw new InvalidRequest('name a session, an organisation, a user or a client');
    },
    title: ({ sessionId }) => (sessionId === undefined ? 'Revoke these sessions?' : 'Revoke the session?'),
    above: (at) => ({
      href: at.url('/sessions', { ...chosen(at), ...at.form.pick(...Object.keys(properties)) }),
      text: '',
    }),
    danger: true,
    consequences: (named) => [
      ...Object.entries(named).map(([name, value]) => (
        <>
          {labels[name as keyof typeof labels]}: <code>{value}</code>
        </>
      )),
      'Their access tokens and refresh tokens are refused at once.',
      'Their users have to sign in again at the platform or agent. Listeners of platforms stay registered; subscriptions of agents end.',
    ],
    async runs(at, body) {
      const pages = eachPage((after) => at.call(revokeSessionsRoute, { body: { ...body, after } }));
      for await (const _ of pages); // each call revokes some
    },
    done: 'The sessions have been revoked.',
  });

  routeList(site, '/sessions', listSessionsRoute, {
    title: 'Sessions',
    lead: 'Users that are signed in at a platform or agent: each session is a chain of refresh tokens.',
    filters: { ...properties, orgId: organisationField(), state: 'State' },
    keyOf: ({ sessionId }) => sessionId,
    actions: (at) => {
      const filter: Query = chosen(at);
      return Object.keys(filter).length > 0 && revoke.button(at, filter, { label: 'Revoke all of these' });
    },
    columns: (at) => ({
      Session: 'sessionId',
      Organisation: 'orgId',
      User: ({ userId }) => <a href={at.here({ userId, after: undefined })}>{userId}</a>,
      Client: ({ clientId }) =>
        clientId !== null && (
          <a href={at.here({ clientId, after: undefined })} title={clientId}>
            {isDocumentUrl(clientId) ? new URL(clientId).host : clientId}
          </a>
        ),
      State: ({ state, reason, reusedAt }) => (
        <>
          <StateWord state={state} />
          {reason !== null && <p class="muted">{reason}</p>}
          {reusedAt !== null && <p class="muted">an earlier token was presented</p>}
        </>
      ),
      Since: { show: 'issuedAt', relative: true, headed: true },
      'Last refresh': { show: 'rotatedAt', relative: true, headed: true },
      Refreshes: 'rotations',
      Action: revoke.may(at)
        ? ({ sessionId, state }) => state === 'active' && revoke.button(at, { sessionId })
        : undefined,
    }),
    empty: { title: 'No sessions', text: 'A session begins when a user connects the app at a platform and signs in.' },
  });
};
