import { rotateListenerSecretRoute } from '../../../admin/api/contracts/listeners.js';
import { overlapHours } from '../../../listeners/overlap-hours.js';
import { Card, Copyable } from '../../components/card.js';
import { ActionForm, Confirm, Field } from '../../components/form.js';
import { Time } from '../../components/time.js';
import { Notice } from '../../components/tone.js';
import { numberField } from '../../fields.js';
import type { Site } from '../../page-view.js';
import { frameOf, registeredListenerOf } from './listener.js';

/** The new secret is shown in the answer to the form only. */
export function rotatePages(site: Site): void {
  site.form('/listeners/:listenerId/rotate-secret', rotateListenerSecretRoute, async (at) => {
    const listener = await registeredListenerOf(at);
    return {
      ...frameOf(at, listener),
      title: 'Rotate the signing secret?',
      content: (
        <Confirm
          label="Rotate the secret"
          hidden={{ replaces: String(listener.secretVersion) }}
          cancel={at.url(`/listeners/${listener.listenerId}`)}
          consequences={[
            `The listener gets version ${listener.secretVersion + 1} of its signing secret, which is shown once.`,
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

  site.post('/listeners/:listenerId/rotate-secret', async (at) => {
    const answer = await at.call(rotateListenerSecretRoute, {
      params: { listenerId: at.params.listenerId ?? '' },
      body: { overlapHours: numberField(at.form, 'overlapHours'), replaces: numberField(at.form, 'replaces') },
    });
    const { listenerId, secretVersion, previousSecretUntil, changed, signingSecret, signingPublicKey } = answer;
    return {
      ...frameOf(at, answer),
      title: 'The signing secret',
      content: (
        <>
          <Notice tone="warn">
            {changed.length === 0 && 'It had been rotated already: nothing changed. '}
            Copy the secret now: it is not shown again.
          </Notice>
          <Card title={`Version ${secretVersion}`}>
            <Copyable text={signingSecret} />
            <p>Its public key verifies the signatures v1a:</p>
            <Copyable text={signingPublicKey} />
            {previousSecretUntil !== null && (
              <p>
                Deliveries are also signed with the previous secret until <Time at={previousSecretUntil} />.
              </p>
            )}
          </Card>
          <p class="buttons">
            <ActionForm action={at.url(`/listeners/${listenerId}/test`)} label="Send a test" tone="primary" />
            <a class="button" href={at.url(`/listeners/${listenerId}`)}>
              Back to the listener
            </a>
          </p>
        </>
      ),
    };
  });
}
