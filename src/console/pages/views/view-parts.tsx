import type { showVerificationRoute, showViewRoute } from '../../../admin/api/contracts/views.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Facts } from '../../../site/components/card.js';
import { durationText, numberText, Time } from '../../../site/components/time.js';
import { Badge, Notice, type Tone } from '../../../site/components/tone.js';

export type View = RouteAnswer<typeof showViewRoute>;
export type Rebuild = NonNullable<View['rebuild']>;
export type Verification = RouteAnswer<typeof showVerificationRoute>;

/** True while a process rebuilds or verifies the view. */
export const isWorkedOn = ({ rebuild }: View): boolean => rebuild !== null && rebuild.holder !== null;

const isVerification = ({ progress }: Rebuild): boolean =>
  progress?.phase === 'folding' || progress?.phase === 'comparing';

const stateOf = (view: View): readonly [tone: Tone, text: string] => {
  if (view.error) return ['bad', 'Stopped'];
  if (view.setAside) return ['bad', 'Damaged'];
  if (view.build === null) return ['warn', 'Not built'];
  if (view.lag === null || view.lag.events > 0) return ['warn', 'Behind'];
  return ['good', 'Up to date'];
};

export const ViewState = ({ view }: { view: View }) => {
  const [tone, text] = stateOf(view);
  return <Badge tone={tone}>{text}</Badge>;
};

export const lagText = ({ lag }: View): string => {
  if (lag === null) return '–';
  if (lag.events === 0) return 'none';
  return `${numberText(lag.events)}${lag.orMore ? ' or more' : ''} events, ${durationText(lag.seconds * 1_000)}`;
};

/** Events a second, with a decimal only below ten. */
export const rateText = ({ eventsPerSecond }: View): string => {
  if (eventsPerSecond === null) return '–';
  return eventsPerSecond < 10 ? eventsPerSecond.toFixed(1) : numberText(Math.round(eventsPerSecond));
};

const phases: Readonly<Record<NonNullable<Rebuild['progress']>['phase'], string>> = {
  loading: 'Loading events',
  indexing: 'Creating indexes',
  verifying: 'Comparing with the live build',
  'catching up': 'Catching up',
  done: 'Switching',
  folding: 'Folding the events',
  comparing: 'Comparing documents',
};

/** Progress of a rebuild or a verification. */
export const Progress = ({ rebuild }: { rebuild: Rebuild }) => {
  const { progress } = rebuild;
  if (!progress) return <>Starting</>;
  const { position, head, phase, perSecond } = progress;
  const [done, total] = [Number(position), Math.max(1, Number(head))];
  const percent = Math.min(100, Math.max(0, Math.floor((100 * done) / total)));
  return (
    <>
      <progress max={100} value={percent} aria-label={phases[phase]} />
      <p class="muted">
        {phases[phase]}: {percent} %, {numberText(perSecond)} {phase === 'comparing' ? 'documents' : 'events'}/s
      </p>
    </>
  );
};

/** The rebuild or verification of a view that is under way or was left unfinished. */
export const WorkCard = ({ rebuild }: { rebuild: Rebuild }) => (
  <Card title={isVerification(rebuild) ? 'Verification' : 'Rebuild'}>
    {rebuild.holder === null ? (
      <p>It was left unfinished. The next rebuild continues it; cancelling removes it.</p>
    ) : (
      <>
        {rebuild.cancelled && <p>It is being cancelled.</p>}
        <Progress rebuild={rebuild} />
      </>
    )}
    <Facts
      facts={{
        Build: rebuild.build && <code>{rebuild.build}</code>,
        By: rebuild.holder && `process ${rebuild.holder.pid} on ${rebuild.holder.host}`,
        Since: rebuild.holder && <Time at={rebuild.holder.since} />,
      }}
    />
  </Card>
);

export const Troubles = ({ view }: { view: View }) => (
  <>
    {view.error && (
      <Notice tone="bad">
        The view has stopped since <Time at={view.error.since} />
        {view.error.position !== null && `, before the event at position ${view.error.position}`}: {view.error.message}
      </Notice>
    )}
    {view.setAside && (
      <Notice tone="bad">
        A damaged build was set aside at <Time at={view.setAside.since} />, as <code>{view.setAside.as}</code>. The view
        is being built again.
      </Notice>
    )}
    {view.rebuildFailure !== null && (
      <Notice tone="warn">The last rebuild by this instance failed: {view.rebuildFailure}</Notice>
    )}
  </>
);

const outcomes: Readonly<Record<NonNullable<Verification['last']>['outcome'], readonly [Tone, string]>> = {
  matches: ['good', 'Matches the events'],
  differs: ['bad', 'Differs from the events'],
  cancelled: ['neutral', 'Cancelled'],
  failed: ['bad', 'Failed'],
  stopped: ['neutral', 'Ended with the instance'],
};

/** The result of the last verification by the instance that answers. */
export const VerificationResult = ({ last }: { last: NonNullable<Verification['last']> }) => {
  const [tone, text] = outcomes[last.outcome];
  return (
    <Card title="Last verification">
      <Facts
        facts={{
          Result: <Badge tone={tone}>{text}</Badge>,
          Ended: <Time at={last.endedAt} />,
          Differences: numberText(last.differences),
          'Events left out': numberText(last.skipped),
        }}
      />
      {last.failure !== null && <Notice tone="bad">{last.failure}</Notice>}
      {last.first.length > 0 && (
        <ul class="stacked">
          {last.first.map(({ kind, key, fields, message }, index) => (
            <li key={index}>
              <Badge tone={kind === 'skipped' ? 'neutral' : 'bad'}>{kind}</Badge> {key && <code>{key}</code>} {message}
              {Object.entries(fields).map(([name, { expected, actual }]) => (
                <p key={name} class="muted">
                  {name} is <code>{JSON.stringify(actual)}</code>, the events say{' '}
                  <code>{JSON.stringify(expected)}</code>
                </p>
              ))}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
};
