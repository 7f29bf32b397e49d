import { Card } from '../../components/card.js';
import { Facts, Id } from '../../components/facts.js';
import { Notice } from '../../components/notice.js';
import { Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import { HealthText, type HookDetail, optionsText, StatusBadge, statusOf } from './hook-state.js';

/** State, health and settings of a hook. */
export function StateCard({ at, hook }: { readonly at: PageRequest; readonly hook: HookDetail }) {
  const { listenerId, orgId, userId, state, since, endReason, replacedBy, held } = hook;
  return (
    <Card title="State">
      {state === 'ended' && (
        <Notice tone="warn">
          The registration ended at <Time at={since} />
          {endReason !== null && ` (${endReason})`}: nothing is sent to it any more.{' '}
          {replacedBy !== null && <a href={at.url(`/hooks/${replacedBy}`)}>The URL was registered again.</a>}
        </Notice>
      )}
      <Facts
        facts={[
          ['State', <StatusBadge key="state" status={statusOf(hook)} />],
          ['Since', <Time key="since" at={since} />],
          ['Health', state === 'ended' ? null : <HealthText key="health" health={hook.health} />],
          ['Held deliveries', held === 1_000 ? '1,000 or more' : held],
          ['Subscription type', <code key="type">{hook.subscriptionType}</code>],
          ['Deliveries', optionsText(hook)],
          ['Organisation', <Id key="org" value={orgId} {...organisationHref(at, orgId)} />],
          ['Registered by user', <code key="user">{userId}</code>],
          ['First registered', <Time key="first" at={hook.firstRegisteredAt} />],
          [
            'Signing secret',
            <>
              version {hook.secretVersion}
              {hook.previousSecretUntil !== null && (
                <>
                  ; the previous one signs too until <Time at={hook.previousSecretUntil} />
                </>
              )}
            </>,
          ],
          ['Listener ID', <Id key="id" value={listenerId} />],
        ]}
      />
    </Card>
  );
}

const organisationHref = (at: PageRequest, orgId: string) =>
  at.caller.orgId === null ? { href: at.url('/organisations/show', { orgId }) } : {};
