import { listSessionsRoute, revokeSessionsRoute } from '../../../admin/api/contracts/sessions.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { InvalidRequest } from '../../../kernel/domain-error.js';
import { Empty, Id } from '../../components/card.js';
import { Confirm, Field, FilterBar, Results } from '../../components/form.js';
import { Pager, Table } from '../../components/table.js';
import { numberText, Time } from '../../components/time.js';
import { Badge } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';
import { redirectTo, type Subject } from '../../page-view.js';

type Session = RouteAnswer<typeof listSessionsRoute>['items'][number];

const section = '/sessions';
const pageSize = 50;
/** Properties by which sessions are revoked together. */
const properties = ['orgId', 'userId', 'clientId'] as const;

/** `/sessions`: users' sessions at platforms, and their revocation. */
export const sessionPages: Subject = (site) => {
  site.get(section, async (at) => {
    const state = at.query.text('state');
    const { items, next } = await at.call(listSessionsRoute, {
      query: {
        ...at.query.pick(...properties, 'after'),
        state: state === 'active' || state === 'revoked' ? state : undefined,
        limit: String(pageSize),
      },
    });
    const filtered = at.query.pick(...properties);
    return {
      title: 'Sessions',
      section,
      lead: 'Users that are signed in at a platform: each session is a chain of refresh tokens.',
      actions: at.may('operator') && Object.keys(filtered).length > 0 && (
        <a class="button danger" href={at.url(`${section}/revoke`, filtered)}>
          Revoke all of these
        </a>
      ),
      content: (
        <>
          <FilterBar>
            <Field name="orgId" label="Organisation" maxLength={256} />
            <Field name="userId" label="User" maxLength={256} />
            <Field name="clientId" label="Client" maxLength={256} />
            <Field
              name="state"
              label="State"
              options={[
                { value: '', text: 'All' },
                { value: 'active', text: 'Active' },
                { value: 'revoked', text: 'Revoked' },
              ]}
            />
          </FilterBar>
          <Results>
            <Sessions at={at} sessions={items} />
            <Pager next={next} />
          </Results>
        </>
      ),
    };
  });

  site.form(`${section}/revoke`, revokeSessionsRoute, async (at) => {
    const wanted = at.query.pick(...properties, 'sessionId');
    if (Object.keys(wanted).length === 0)
      throw new InvalidRequest('name a session, an organisation, a user or a client');
    return {
      title: wanted.sessionId === undefined ? 'Revoke these sessions?' : 'Revoke the session?',
      section,
      trail: [{ href: at.url(section), text: 'Sessions' }],
      content: (
        <Confirm
          label="Revoke"
          cancel={at.url(section, at.query.pick(...properties))}
          hidden={wanted}
          danger
          consequences={[
            ...Object.entries(wanted).map(([name, value]) => (
              <>
                {labels[name] ?? name}: <code>{value}</code>
              </>
            )),
            'Their access tokens and refresh tokens are refused at once.',
            'Their users have to sign in again at the platform. Listeners stay registered.',
          ]}
        />
      ),
    };
  });

  site.post(`${section}/revoke`, async (at) => {
    const wanted = at.form.pick(...properties, 'sessionId');
    let after: string | undefined;
    do {
      const { next } = await at.call(revokeSessionsRoute, { body: { ...wanted, after } });
      after = next ?? undefined;
    } while (after !== undefined);
    return redirectTo(at, section, { ...at.form.pick(...properties), notice: 'sessions-revoked' });
  });

  site.notices({ 'sessions-revoked': 'The sessions have been revoked.' });
};

const labels: Readonly<Record<string, string>> = {
  orgId: 'Organisation',
  userId: 'User',
  clientId: 'Client',
  sessionId: 'Session',
};

const Sessions = ({ at, sessions }: { at: PageRequest; sessions: readonly Session[] }) => (
  <Table
    caption="Sessions"
    rows={sessions}
    keyOf={({ sessionId }) => sessionId}
    empty={
      <Empty title="No sessions">
        <p>A session begins when a user connects the app at a platform and signs in.</p>
      </Empty>
    }
    columns={[
      { head: 'Session', cell: ({ sessionId }) => <Id value={sessionId} /> },
      { head: 'Organisation', cell: ({ orgId }) => <a href={at.url('/organisations/show', { orgId })}>{orgId}</a> },
      { head: 'User', cell: ({ userId }) => <a href={at.here({ userId, after: undefined })}>{userId}</a> },
      { head: 'Client', cell: ({ clientId }) => clientId ?? '–' },
      { head: 'State', cell: (session) => <State session={session} /> },
      { head: 'Since', cell: ({ issuedAt }) => <Time at={issuedAt} /> },
      { head: 'Last refresh', cell: ({ rotatedAt }) => <Time at={rotatedAt} relative /> },
      { head: 'Refreshes', numeric: true, cell: ({ rotations }) => numberText(rotations) },
      ...(at.may('operator')
        ? [{ head: 'Action', cell: (session: Session) => <Revoke at={at} session={session} /> }]
        : []),
    ]}
  />
);

const State = ({ session: { state, reason, reusedAt } }: { session: Session }) => (
  <>
    <Badge tone={state === 'active' ? 'good' : 'neutral'}>{state}</Badge>
    {reason !== null && <p class="muted">{reason}</p>}
    {reusedAt !== null && <p class="muted">an earlier token was presented</p>}
  </>
);

const Revoke = ({ at, session: { sessionId, state } }: { at: PageRequest; session: Session }) =>
  state === 'active' ? (
    <a class="button danger" href={at.url(`${section}/revoke`, { sessionId })}>
      Revoke
    </a>
  ) : null;
