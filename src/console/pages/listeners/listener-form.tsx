import { subscribeListenerRoute } from '../../../admin/api/contracts/listeners.js';
import { CheckBox, Field, Form, Submit } from '../../components/form.js';
import { jsonField } from '../../fields.js';
import type { PageRequest } from '../../page-request.js';
import { type PageView, redirectTo, type Site } from '../../page-view.js';
import { NewOrganisation, OrganisationField, organisationOf, requireKnownOrganisation } from '../organisation.js';
import {
  frameOf,
  KeysOfNewListener,
  type ListenerDetail,
  listenerOf,
  registeredListenerOf,
  trail,
} from './listener.js';
import { isTrial, type Trial, TrialFields, trialOf, WithTrial } from './trial.js';

/** `/listeners/new` and `/listeners/{listenerId}/edit`: a hook URL with its subscription. */
export function listenerForms(site: Site): void {
  site.notices({ 'subscription-changed': 'The subscription is changed. Flow events from now on are matched with it.' });

  site.form('/listeners/new', subscribeListenerRoute, async (at) => newListener(at));
  site.post('/listeners/new', async (at) => {
    if (isTrial(at)) return newListener(at, await trialOf(at, organisationOf(at) ?? '', subscriptionOf(at)));
    const orgId = organisationOf(at) ?? '';
    await requireKnownOrganisation(at, orgId);
    const body = { ...subscriptionOf(at), orgId, hookUrl: at.form.text('hookUrl') ?? '' };
    const answer = await at.call(subscribeListenerRoute, { body });
    const { listenerId, signingSecret, signingPublicKey, replaced } = answer;
    return {
      title: replaced ? 'The subscription is replaced' : 'The listener is added',
      section: '/listeners',
      trail: trail(at),
      lead: 'Deliveries are signed with this secret. Copy it now: it is not shown again. The public key verifies the signatures v1a.',
      content: (
        <>
          {replaced && <p>The URL was registered already, with the subscription type {replaced.subscriptionType}.</p>}
          <KeysOfNewListener at={at} listenerId={listenerId} keys={[signingSecret, signingPublicKey]} />
        </>
      ),
    };
  });

  site.form('/listeners/:listenerId/edit', subscribeListenerRoute, async (at) =>
    changedSubscription(at, await registeredListenerOf(at)),
  );
  site.post('/listeners/:listenerId/edit', async (at) => {
    if (isTrial(at)) {
      const listener = await registeredListenerOf(at);
      return changedSubscription(at, listener, await trialOf(at, listener.orgId, subscriptionOf(at)));
    }
    const { orgId, userId, hookUrl, listenerId } = await listenerOf(at);
    await at.call(subscribeListenerRoute, { body: { ...subscriptionOf(at), orgId, userId, hookUrl } });
    return redirectTo(at, `/listeners/${listenerId}`, { notice: 'subscription-changed' });
  });
}

const newListener = (at: PageRequest, trial?: Trial): PageView => ({
  title: 'Add a listener',
  section: '/listeners',
  trail: trail(at),
  lead: 'A URL that receives flow events of the organisation, signed and repeated until it accepts them.',
  content: (
    <WithTrial at={at} orgId={organisationOf(at) ?? ''} trial={trial}>
      <Form class="stack json-editor" shows={trial && at.form}>
        <OrganisationField at={at} required />
        <NewOrganisation at={at} />
        <Field label="Hook URL" name="hookUrl" type="url" required maxLength={2_048} autocomplete="off" />
        <SubscriptionFields />
        <TrialFields trial={trial} />
        <Submit label="Add" cancel={at.url('/listeners')} />
      </Form>
    </WithTrial>
  ),
});

const changedSubscription = (at: PageRequest, listener: ListenerDetail, trial?: Trial): PageView => ({
  ...frameOf(at, listener),
  title: 'Change the subscription',
  content: (
    <WithTrial at={at} orgId={listener.orgId} trial={trial}>
      <Form class="stack json-editor" shows={trial && at.form}>
        <SubscriptionFields listener={listener} />
        <TrialFields trial={trial} />
        <Submit label="Change" cancel={at.url(`/listeners/${listener.listenerId}`)} />
      </Form>
    </WithTrial>
  ),
});

/** Order and rate are on a page of their own, and stay. */
const subscriptionOf = ({ form }: PageRequest) => ({
  subscriptionType: form.text('subscriptionType') ?? '',
  filter: jsonField(form, 'filter'),
  transform: form.text('transform') ?? null,
  description: form.text('description') ?? null,
  signedWithKeyPair: form.text('signedWithKeyPair') === 'true',
});

const SubscriptionFields = ({ listener }: { listener?: ListenerDetail }) => (
  <>
    <Field
      label="Type"
      name="subscriptionType"
      value={listener?.subscriptionType ?? '*'}
      required
      maxLength={256}
      hint="A type such as order.paid, a prefix such as order.*, or * for all."
    />
    <Field
      label="Filter (JSON, optional)"
      name="filter"
      value={listener?.filter ? JSON.stringify(listener.filter, null, 2) : ''}
      lines={5}
      hint={'Such as {"data.total": {"$gt": 40}}; left empty: all flow events of the type.'}
    />
    <Field
      label="Transformation (JSONata, optional)"
      name="transform"
      value={listener?.transform ?? ''}
      lines={5}
      hint="Makes the body that is sent; left empty: the flow event as it is."
    />
    <Field label="Description" name="description" value={listener?.description ?? ''} maxLength={256} />
    <CheckBox
      label="Also sign with a key pair (v1a), so that receivers verify with a public key instead of the secret"
      name="signedWithKeyPair"
      checked={listener?.signedWithKeyPair ?? false}
    />
  </>
);
