import { subscribeListenerRoute } from '../../../admin/api/contracts/listeners.js';
import type { Action } from '../../../site/derived/action-settings.js';
import { routeAction } from '../../../site/derived/route-action.js';
import type { FormFields } from '../../../site/derived/route-fields.js';
import { organisationOf } from '../../../site/page-request.js';
import type { Site } from '../../../site/page-view.js';
import { NewOrganisation, organisationField, requireKnownOrganisation } from '../organisation.js';
import { KeysOfNewListener, type ListenerDetail, listenerOf, ofListener } from './listener.js';
import { besideTrial, type Sent, TrialFields } from './trial.js';

/** Order and rate are on another page, and stay. */
const subscription: FormFields<ListenerDetail | undefined> = {
  subscriptionType: {
    label: 'Type',
    value: (listener) => listener?.subscriptionType ?? '*',
    hint: 'A type such as order.paid, a prefix such as order.*, or * for all.',
  },
  filter: {
    label: 'Filter (JSON, optional)',
    lines: 5,
    hint: 'Such as {"data.total": {"$gt": 40}}; left empty: all flow events of the type.',
  },
  transform: {
    label: 'Transformation (JSONata, optional)',
    lines: 5,
    hint: 'Makes the body that is sent; left empty: the flow event as it is.',
  },
  description: 'Description',
  signedWithKeyPair:
    'Also sign with a key pair (v1a), so that receivers verify with a public key instead of the secret',
};

/** `/listeners/new`: a hook URL with its subscription. */
export const addAction = (site: Site): Action =>
  routeAction(site, '/listeners/new', subscribeListenerRoute, {
    label: 'Add',
    link: 'Add a listener',
    title: 'Add a listener',
    lead: 'A URL that receives flow events of the organisation, signed and repeated until it accepts them.',
    primary: true,
    class: 'stack json-editor',
    fields: {
      orgId: organisationField(true),
      newOrganisation: (at) => <NewOrganisation at={at} />,
      hookUrl: { label: 'Hook URL', type: 'url', maxLength: 2_048, autocomplete: 'off' },
      ...(subscription as FormFields<undefined>),
    },
    below: () => <TrialFields />,
    tries: (at, fields) => besideTrial(at, organisationOf(at) ?? '', fields as Sent), // as the contract has it
    async sends(fields, at) {
      await requireKnownOrganisation(at, String(fields.orgId));
      return fields;
    },
    answers: ({ listenerId, signingSecret, signingPublicKey, replaced }, at) => ({
      title: replaced ? 'The subscription is replaced' : 'The listener is added',
      lead: 'Deliveries are signed with this secret. Copy it now: it is not shown again. The public key verifies the signatures v1a.',
      content: (
        <>
          {replaced && <p>The URL was registered already, with the subscription type {replaced.subscriptionType}.</p>}
          <KeysOfNewListener at={at} listenerId={listenerId} keys={[signingSecret, signingPublicKey]} />
        </>
      ),
    }),
  });

/** `/listeners/{listenerId}/edit`: the subscription of a listener. */
export const editAction = (site: Site): Action =>
  routeAction(site, '/listeners/:listenerId/edit', subscribeListenerRoute, {
    ...ofListener,
    label: 'Change',
    link: 'Edit',
    title: 'Change the subscription',
    class: 'stack json-editor',
    fields: subscription as FormFields<ListenerDetail>,
    below: () => <TrialFields />,
    tries: async (at, fields) => besideTrial(at, (await listenerOf(at)).orgId, fields as Sent), // as the contract has it
    async sends(fields, at) {
      const { orgId, userId, hookUrl } = await listenerOf(at);
      return { ...fields, orgId, userId, hookUrl };
    },
    done: 'The subscription is changed. Flow events from now on are matched with it.',
  });
