import { type Command, Option } from 'commander';
import { overlapHours } from '../../listeners/overlap-hours.js';
import { subject } from '../action.js';
import { listenerArgument, requiredOrganisation, wholeNumber } from '../options.js';

const actions = () => import('./actions.js');
const trials = () => import('./trials.js');

export function listenerCommands(): Command {
  const { commands, add } = subject('listeners', 'registered listeners');
  const ofOne = (command: Command) => command.addArgument(listenerArgument());

  add(
    actions,
    'list',
    'lists the current listeners of an organisation, from the view that a running service projects',
  ).addOption(requiredOrganisation());
  ofOne(add(actions, 'pause', 'pauses a listener: it stays registered, and new deliveries to it are held'));
  ofOne(
    add(actions, 'resume', 'delivers to a paused listener again; held deliveries stay held without --redeliver-held'),
  )
    .option('--redeliver-held', 'also delivers the held deliveries')
    .option('--close-circuit', 'also of an active listener: closes its circuit breaker');
  ofOne(add(actions, 'options', 'changes order and rate of a listener, active or paused'))
    .option('--ordered', 'one delivery at a time, in the order of the flow events')
    .option('--no-ordered', 'several deliveries at a time, in no order')
    .option('--rate <number>', 'maximum number of deliveries a second, or none');
  ofOne(add(actions, 'rotate-secret', 'gives a listener its next signing secret, and prints it'))
    .addOption(
      new Option(
        '--overlap-hours <number>',
        'time in which the previous secret signs deliveries too; 0 revokes it at once',
      )
        .default(overlapHours.default)
        .argParser((text) => wholeNumber('--overlap-hours', text, 0, overlapHours.max)),
    )
    .option('--replaces <version>', 'the version of the secret to replace; changes nothing if it was replaced already');
  ofOne(add(actions, 'unsubscribe', 'removes a listener: no delivery to it starts afterwards'));
  ofOne(
    add(
      trials,
      'test',
      'makes a running service send a listener a sample flow event of its subscription type, and shows the result',
    ),
  );
  ofOne(
    add(
      trials,
      'try',
      'shows what a listener would receive of an event, after its filter and transformation; sends nothing',
      'tryListener',
    ),
  )
    .requiredOption('--type <type>', 'the type of the event, such as flow.completed')
    .option('--data <json>', 'the data of the event as JSON; - reads standard input', '{}')
    .option('--id <id>', 'the event’s id');
  return commands;
}
