import type { Logger } from 'pino';
import { eraseOrganisationRoute } from '../../../admin/api/contracts/organisations.js';
import { InvalidRequest } from '../../../kernel/domain-error.js';
import { Facts } from '../../../site/components/card.js';
import { Field } from '../../../site/components/form.js';
import { durationText, numberText, Time } from '../../../site/components/time.js';
import { Notice } from '../../../site/components/tone.js';
import { livePage } from '../../../site/derived/live-page.js';
import { routeAction } from '../../../site/derived/route-action.js';
import type { Site } from '../../../site/page-view.js';
import { isKnownOrganisation, organisationLink, requiredOrganisation } from '../organisation.js';
import { type Erasure, erasures } from './erasures.js';

/** `/organisations/erase`: asks for the organisation's ID again, and shows the progress. */
export function erasurePages(site: Site, log: Logger) {
  const running = erasures(log);

  const erase = routeAction(site, '/organisations/erase', eraseOrganisationRoute, {
    label: 'Erase the organisation',
    link: 'Erase',
    carries: ['orgId'],
    async read(at) {
      const orgId = requiredOrganisation(at);
      return { orgId, isKnown: await isKnownOrganisation(at, orgId) };
    },
    title: ({ orgId }) => `Erase ${orgId}?`,
    above: organisationLink,
    lead: ({ isKnown }) =>
      !isKnown && <strong>This organisation is not known: no listener, session, key or flow event has this ID.</strong>,
    danger: true,
    consequences: [
      'Its listeners are removed: no delivery to them starts any more. Waiting and held deliveries are cancelled.',
      'Its sessions end, and its API keys and consents are revoked.',
      'Its flow events, deliveries with their attempts, settings, integration task and whole history are deleted, also from the views.',
      'Streams of other organisations with events that name this one are kept, and listed at the end.',
      'The record of the erasure keeps a pseudonym, your name and the time. Backups and seals are not changed.',
      'It takes up to minutes. It continues if you leave the page; if it is interrupted, erase the organisation again.',
    ],
    fields: {
      confirm: (at) => (
        <Field
          name="confirm"
          label={`Type the ID of the organisation: ${requiredOrganisation(at)}`}
          required
          autocomplete="off"
        />
      ),
    },
    runs(at) {
      const [orgId, confirm] = [requiredOrganisation(at), at.form.text('confirm')];
      if (confirm !== orgId)
        throw new InvalidRequest('confirm: this is not the ID of the organisation; nothing was erased');
      return running.start(at.call(eraseOrganisationRoute, { body: { orgId, confirm } }));
    },
    answers: (id, at) => ({ href: at.url(`/organisations/erasures/${id}`) }),
  });

  livePage(site, '/organisations/erasures/:id', {
    everyMs: 1_000,
    async parts({ params, now }) {
      return { state: <State erasure={running.find(params.id ?? '')} now={now} /> };
    },
    shows: () => ({ title: 'Erasure of an organisation' }),
  });
  return erase;
}

function State({ erasure, now }: { erasure: Erasure | undefined; now: Date }) {
  if (!erasure) {
    return (
      <Notice tone="info">
        This instance does not know this erasure: it ran on another one, or before a restart. Its log has the result;
        erasing the organisation again completes it if it was interrupted.
      </Notice>
    );
  }
  const { startedAt, result } = erasure;
  if (!result) {
    return (
      <Notice tone="info">
        The organisation is being erased, for {durationText(now.getTime() - startedAt.getTime())}: its listeners and
        sessions end first, then its streams are deleted.
      </Notice>
    );
  }
  if ('failure' in result) {
    return (
      <Notice tone="bad">
        The erasure was interrupted: {result.failure} Erase the organisation again to complete it.
      </Notice>
    );
  }
  return (
    <>
      <Notice tone="good">The organisation has been erased.</Notice>
      <section class="card">
        <Facts
          facts={{
            Ended: <Time at={result.endedAt} />,
            'Deleted streams': numberText(result.erased.streams),
            'Deleted flow streams': numberText(result.erased.flowStreams),
            'Pseudonym in the record': <code>{result.erased.organisation}</code>,
            'Kept streams of others':
              result.erased.elsewhere.length === 0 ? 'none' : result.erased.elsewhere.join(', '),
          }}
        />
      </section>
    </>
  );
}
