import { rotateListenerSecretRoute } from '../../../operations/api/contracts/listeners.js';
import { overlapHours } from '../../../registrations/listeners/overlap-hours.js';
import { Card, Copyable } from '../../components/card.js';
import { Confirm, Field } from '../../components/form.js';
import { Notice } from '../../components/notice.js';
import { Time } from '../../components/time.js';
import type { Site } from '../../page-view.js';
import { numberField } from './form-values.js';
import { frameOf, hookOf } from './hook-frame.js';

/** Rotating the signing secret of a hook. The new secret is in the answer to the form, and nowhere else. */
export function rotatePages(site: Site): void {
  site.get('/hooks/:listenerId/rotate-secret', async (at) => {
    const hook = await hookOf(at);
    return {
      ...frameOf(at, hook, true),
      title: 'Rotate the signing secret?',
      lead: hook.hookUrl,
      content: (
        <Confirm
          action={at.url(`/hooks/${hook.listenerId}/rotate-secret`)}
          label="Rotate the secret"
          hidden={{ replaces: String(hook.secretVersion) }}
          cancel={at.url(`/hooks/${hook.listenerId}`)}
          consequences={[
            `The hook gets version ${hook.secretVersion + 1} of its signing secret, which is shown once.`,
            'Deliveries carry the signatures of both secrets during the overlap. With 0 hours the present secret is revoked at once: a receiver that does not know the new one rejects deliveries.',
          ]}
        >
          <Field
            label="Overlap in hours"
            name="overlapHours"
            type="number"
            min="0"
            max={String(overlapHours.max)}
            step="1"
            value={String(overlapHours.default)}
            required
          />
        </Confirm>
      ),
    };
  });

  site.post('/hooks/:listenerId/rotate-secret', async (at) => {
    const answer = await at.call(rotateListenerSecretRoute, {
      params: { listenerId: at.params.listenerId ?? '' },
      body: { overlapHours: numberField(at.form, 'overlapHours'), replaces: numberField(at.form, 'replaces') },
    });
    const { listenerId, secretVersion, previousSecretUntil, changed, signingSecret } = answer;
    return {
      ...frameOf(at, answer, true),
      title: 'The signing secret',
      lead: answer.hookUrl,
      content: (
        <>
          <Notice tone="warn">
            {changed.length === 0 && 'It had been rotated already: nothing changed. '}
            Copy the secret now: it is not shown again.
          </Notice>
          <Card title={`Version ${secretVersion}`}>
            <Copyable text={signingSecret} />
            {previousSecretUntil !== null && (
              <p>
                Deliveries are also signed with the previous secret until <Time at={previousSecretUntil} />.
              </p>
            )}
          </Card>
          <p>
            <a class="button" href={at.url(`/hooks/${listenerId}`)}>
              Back to the hook
            </a>
          </p>
        </>
      ),
    };
  });
}
