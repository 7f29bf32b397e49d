import { redeliverDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { changeListenerOptionsRoute } from '../../../admin/api/contracts/listener-queries.js';
import {
  pauseListenerRoute,
  resumeListenerRoute,
  unsubscribeListenerRoute,
} from '../../../admin/api/contracts/listeners.js';
import { Card } from '../../components/card.js';
import { ActionForm, CheckBox, Confirm, Field, Form, Submit } from '../../components/form.js';
import { numberText } from '../../components/time.js';
import { numberField } from '../../fields.js';
import type { PageRequest } from '../../page-request.js';
import { redirectTo, type Site } from '../../page-view.js';
import { frameOf, type ListenerDetail, listenerOf, registeredListenerOf } from './listener.js';

/** Maximum number of the deliveries that wait for their next attempt; the others keep their schedule. */
const madeDue = 1_000;

const paramsOf = (at: PageRequest) => ({ listenerId: at.params.listenerId ?? '' });

const backTo = (at: PageRequest, notice: string) => redirectTo(at, `/listeners/${paramsOf(at).listenerId}`, { notice });

/** Pausing, resuming, changing and removing a listener. */
export function changePages(site: Site): void {
  site.notices({
    'tried-now': 'Waiting deliveries are due now: earlier failures no longer delay them.',
    'listener-paused': 'The listener is paused: deliveries to it are held.',
    'listener-resumed': 'The listener is active. Deliveries that were held stay held.',
    'listener-resumed-with-held': 'The listener is active, and deliveries that were held are due.',
    'listener-options-changed': 'Order and rate of the listener are changed.',
    'listener-removed': 'The listener is removed: no delivery to it starts any more.',
  });

  site.post('/listeners/:listenerId/pause', async (at) => {
    await at.call(pauseListenerRoute, { params: paramsOf(at), body: {} });
    return backTo(at, 'listener-paused');
  });

  site.post('/listeners/:listenerId/try-now', async (at) => {
    const { orgId, listenerId } = await listenerOf(at);
    await at.call(resumeListenerRoute, { params: { listenerId }, body: { closeCircuit: true } });
    if (at.may('operator', 'redeliver')) {
      const body = { orgId, listenerId, states: ['waiting' as const], limit: madeDue };
      await at.call(redeliverDeliveriesRoute, { body });
    }
    return backTo(at, 'tried-now');
  });

  site.form('/listeners/:listenerId/resume', resumeListenerRoute, async (at) =>
    resumePage(at, await registeredListenerOf(at)),
  );
  site.post('/listeners/:listenerId/resume', async (at) => {
    const redeliverHeld = at.form.text('redeliverHeld') === 'true';
    await at.call(resumeListenerRoute, { params: paramsOf(at), body: { redeliverHeld } });
    return backTo(at, redeliverHeld ? 'listener-resumed-with-held' : 'listener-resumed');
  });

  site.form('/listeners/:listenerId/options', changeListenerOptionsRoute, async (at) =>
    optionsPage(at, await registeredListenerOf(at)),
  );
  site.post('/listeners/:listenerId/options', async (at) => {
    const ordered = at.form.text('ordered') === 'true';
    const ratePerSecond = numberField(at.form, 'ratePerSecond') ?? null;
    await at.call(changeListenerOptionsRoute, { params: paramsOf(at), body: { ordered, ratePerSecond } });
    return backTo(at, 'listener-options-changed');
  });

  site.form('/listeners/:listenerId/unsubscribe', unsubscribeListenerRoute, async (at) =>
    unsubscribePage(at, await registeredListenerOf(at)),
  );
  site.post('/listeners/:listenerId/unsubscribe', async (at) => {
    await at.call(unsubscribeListenerRoute, { params: paramsOf(at), body: {} });
    return backTo(at, 'listener-removed');
  });
}

function resumePage(at: PageRequest, listener: ListenerDetail) {
  const { listenerId, held, state } = listener;
  const count = held === 1_000 ? '1,000 or more' : numberText(held);
  return {
    ...frameOf(at, listener),
    title: state === 'paused' ? 'Resume the listener?' : 'Deliver the held deliveries?',
    content: (
      <Card title={held === 1 ? '1 delivery is held' : `${count} deliveries are held`}>
        <p>
          {state === 'paused'
            ? `New flow events are delivered again${held > 0 ? ' in both cases' : ''}. Earlier failures no longer count towards an automatic pause.`
            : 'The listener is active. Deliveries of an earlier pause are still held.'}
        </p>
        <div class="buttons">
          {held > 0 && (
            <ActionForm
              label={state === 'paused' ? 'Resume and deliver held ones' : 'Deliver held ones'}
              hidden={{ redeliverHeld: 'true' }}
              tone="primary"
            />
          )}
          {state === 'paused' && (
            <ActionForm label={held > 0 ? 'Resume, keep them held' : 'Resume'} tone={held > 0 ? 'plain' : 'primary'} />
          )}
          <a class="button" href={at.url(`/listeners/${listenerId}`)}>
            Cancel
          </a>
        </div>
      </Card>
    ),
  };
}

function optionsPage(at: PageRequest, listener: ListenerDetail) {
  const { listenerId, ordered, ratePerSecond } = listener;
  return {
    ...frameOf(at, listener),
    title: 'Order and rate',
    content: (
      <Card title="Deliveries to the listener">
        <Form>
          <CheckBox label="One delivery at a time, in the order of the flow events" name="ordered" checked={ordered} />
          <Field
            label="Deliveries a second"
            name="ratePerSecond"
            type="number"
            min="0.001"
            max="10000"
            step="any"
            value={ratePerSecond === null ? '' : String(ratePerSecond)}
            hint="Maximum. Left empty: the limit of the service for each listener."
          />
          <Submit label="Change" cancel={at.url(`/listeners/${listenerId}`)} />
        </Form>
      </Card>
    ),
  };
}

const unsubscribePage = (at: PageRequest, listener: ListenerDetail) => ({
  ...frameOf(at, listener),
  title: 'Unsubscribe the listener?',
  content: (
    <Confirm
      label="Unsubscribe"
      cancel={at.url(`/listeners/${listener.listenerId}`)}
      danger
      consequences={[
        'The listener ends: no delivery to the listener starts any more.',
        'Its waiting and held deliveries are cancelled.',
        'The automation of the user gets nothing until its platform registers the listener again; the platform is notified only if the service is configured for it.',
        'The history of the listener stays.',
      ]}
    />
  ),
});
