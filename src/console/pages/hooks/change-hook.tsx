import { changeListenerOptionsRoute } from '../../../operations/api/contracts/hooks.js';
import {
  pauseListenerRoute,
  resumeListenerRoute,
  unsubscribeListenerRoute,
} from '../../../operations/api/contracts/listeners.js';
import { Card } from '../../components/card.js';
import { ActionForm, CheckBox, Confirm, Field } from '../../components/form.js';
import { numberText } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import { redirectTo, type Site } from '../../page-view.js';
import { numberField } from './form-values.js';
import { frameOf, hookOf } from './hook-frame.js';
import type { HookDetail } from './hook-state.js';

const paramsOf = (at: PageRequest) => ({ listenerId: at.params.listenerId ?? '' });

const backTo = (at: PageRequest, notice: string) => redirectTo(at, `/hooks/${paramsOf(at).listenerId}`, { notice });

/** Pausing, resuming, changing and removing a hook. */
export function changePages(site: Site): void {
  site.notices({
    'hook-paused': 'The hook is paused: deliveries to it are held.',
    'hook-resumed': 'The hook is active. Deliveries that were held stay held.',
    'hook-resumed-with-held': 'The hook is active, and deliveries that were held are due.',
    'hook-options-changed': 'Order and rate of the hook are changed.',
    'hook-removed': 'The hook is removed: no delivery to it starts any more.',
  });

  site.post('/hooks/:listenerId/pause', async (at) => {
    await at.call(pauseListenerRoute, { params: paramsOf(at), body: {} });
    return backTo(at, 'hook-paused');
  });

  site.get('/hooks/:listenerId/resume', async (at) => resumePage(at, await hookOf(at)));
  site.post('/hooks/:listenerId/resume', async (at) => {
    const redeliverHeld = at.form.text('redeliverHeld') === 'true';
    await at.call(resumeListenerRoute, { params: paramsOf(at), body: { redeliverHeld } });
    return backTo(at, redeliverHeld ? 'hook-resumed-with-held' : 'hook-resumed');
  });

  site.get('/hooks/:listenerId/options', async (at) => optionsPage(at, await hookOf(at)));
  site.post('/hooks/:listenerId/options', async (at) => {
    const ordered = at.form.text('ordered') === 'true';
    const ratePerSecond = numberField(at.form, 'ratePerSecond') ?? null;
    await at.call(changeListenerOptionsRoute, { params: paramsOf(at), body: { ordered, ratePerSecond } });
    return backTo(at, 'hook-options-changed');
  });

  site.get('/hooks/:listenerId/unsubscribe', async (at) => unsubscribePage(at, await hookOf(at)));
  site.post('/hooks/:listenerId/unsubscribe', async (at) => {
    await at.call(unsubscribeListenerRoute, { params: paramsOf(at), body: {} });
    return backTo(at, 'hook-removed');
  });
}

function resumePage(at: PageRequest, hook: HookDetail) {
  const { listenerId, held, state } = hook;
  const action = at.url(`/hooks/${listenerId}/resume`);
  const count = held === 1_000 ? '1,000 or more' : numberText(held);
  return {
    ...frameOf(at, hook, true),
    title: state === 'paused' ? 'Resume the hook?' : 'Deliver what is held?',
    lead: hook.hookUrl,
    content: (
      <Card title={held === 1 ? '1 delivery is held' : `${count} deliveries are held`}>
        <p>
          {state === 'paused'
            ? `New flow events are delivered again${held > 0 ? ' in both cases' : ''}. Earlier failures no longer count towards an automatic pause.`
            : 'The hook is active. Deliveries of an earlier pause are still held.'}
        </p>
        <div class="buttons">
          {held > 0 && (
            <ActionForm
              action={action}
              label={state === 'paused' ? 'Resume and deliver held ones' : 'Deliver held ones'}
              hidden={{ redeliverHeld: 'true' }}
              tone="primary"
            />
          )}
          {state === 'paused' && (
            <ActionForm
              action={action}
              label={held > 0 ? 'Resume, keep them held' : 'Resume'}
              tone={held > 0 ? 'plain' : 'primary'}
            />
          )}
          <a class="button" href={at.url(`/hooks/${listenerId}`)}>
            Cancel
          </a>
        </div>
      </Card>
    ),
  };
}

function optionsPage(at: PageRequest, hook: HookDetail) {
  const { listenerId, ordered, ratePerSecond } = hook;
  return {
    ...frameOf(at, hook, true),
    title: 'Order and rate',
    lead: hook.hookUrl,
    content: (
      <Card title="Deliveries to the hook">
        <form class="stack" method="post" action={at.url(`/hooks/${listenerId}/options`)}>
          <CheckBox label="One delivery at a time, in the order of the flow events" name="ordered" checked={ordered} />
          <Field
            label="Deliveries a second"
            name="ratePerSecond"
            type="number"
            min="0.001"
            max="10000"
            step="any"
            value={ratePerSecond === null ? '' : String(ratePerSecond)}
            hint="At most so many; left empty, the limit of the service for each hook applies."
          />
          <div class="buttons">
            <button type="submit" class="primary">
              Change
            </button>
            <a class="button" href={at.url(`/hooks/${listenerId}`)}>
              Cancel
            </a>
          </div>
        </form>
      </Card>
    ),
  };
}

const unsubscribePage = (at: PageRequest, hook: HookDetail) => ({
  ...frameOf(at, hook, true),
  title: 'Unsubscribe the hook?',
  lead: hook.hookUrl,
  content: (
    <Confirm
      action={at.url(`/hooks/${hook.listenerId}/unsubscribe`)}
      label="Unsubscribe"
      cancel={at.url(`/hooks/${hook.listenerId}`)}
      danger
      consequences={[
        'The registration ends: no delivery to the hook starts any more.',
        'Its waiting and held deliveries are cancelled.',
        'The automation of the user gets nothing until its platform registers the hook again; the platform is notified only if the service is configured for it.',
        'The history of the hook stays.',
      ]}
    />
  ),
});
