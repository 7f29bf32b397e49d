import { randomUUID } from 'node:crypto';
import { publishFlowEventRoute } from '../../../admin/api/contracts/flow-events.js';
import { sentence } from '../../../site/components/time.js';
import { Notice } from '../../../site/components/tone.js';
import type { Action } from '../../../site/derived/action-settings.js';
import { routeAction } from '../../../site/derived/route-action.js';
import { namedOrganisation } from '../../../site/page-request.js';
import type { Site } from '../../../site/page-view.js';
import { NewOrganisation, organisationField, requireKnownOrganisation } from '../organisation.js';

/** `/flow-events/publish`: the form holds the ID, so sending it again publishes nothing more. */
export const publishAction = (site: Site): Action =>
  routeAction(site, '/flow-events/publish', publishFlowEventRoute, {
    label: 'Publish',
    link: 'Publish…',
    title: 'Publish a flow event',
    lead: 'Every listener of the organisation that has subscribed to its type receives it.',
    primary: true,
    class: 'stack json-editor',
    trail: (at) => [{ href: at.url('/flow-events', namedOrganisation(at)), text: 'Flow events' }],
    above: (at) => ({ href: at.url('/flow-events', namedOrganisation(at)), text: '' }),
    fields: {
      orgId: organisationField(true),
      newOrganisation: (at) => <NewOrganisation at={at} />,
      type: { label: 'Type', value: () => 'flow.completed', maxLength: 128 },
      data: { label: 'Content (JSON)', value: () => '{\n  "total": 42\n}', lines: 12 },
      id: {
        label: 'ID',
        value: () => randomUUID(),
        hint: 'A flow event is recorded once for each ID: publishing it again has no effect.',
      },
      flowId: {
        label: 'Flow (optional)',
        hint: 'The flow that it belongs to; without it, it begins a new one.',
      },
    },
    async sends(fields, at) {
      await requireKnownOrganisation(at, String(fields.orgId));
      return { ...fields, id: fields.id ?? randomUUID() };
    },
    done: 'The flow event is published.',
    answers({ warnings }, at, { id, flowId }) {
      // One of a flow with other events is found by its ID once the fan-out has gone by it.
      const organisation = namedOrganisation(at);
      const href =
        flowId === undefined
          ? at.url('/flow-events/show', { ...organisation, id: String(id) })
          : at.url('/flow-events', organisation);
      if (warnings.length === 0) return { href };
      return {
        title: 'The flow event is published, with warnings',
        content: (
          <>
            {warnings.map((warning) => (
              <Notice key={warning} tone="warn">
                {sentence(warning)}
              </Notice>
            ))}
            <p>Listeners receive it as it is. Publish a correct one with another ID.</p>
            <p class="buttons">
              <a class="button primary" href={href}>
                To the flow event
              </a>
            </p>
          </>
        ),
      };
    },
  });
