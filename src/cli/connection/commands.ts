import { Command } from 'commander';
import { action, subject } from '../action.js';

const actions = () => import('./login.js');

/** `login`, `logout` and `profiles`: the services that commands are for. */
export function connectionCommands(): readonly Command[] {
  const { commands: profiles, add } = subject('profiles', 'services that login remembers');
  add(actions, 'list', 'lists the profiles; commands are for the current one unless they say otherwise');
  add(actions, 'use', 'makes a profile the current one').argument('<profile>', 'its name');
  return [
    new Command('login')
      .description(
        'makes later commands work on a service: asks for an admin key, an API key or the token of an operator, which is kept in the user’s ' +
          'configuration (mode 600); without a terminal, it is read from standard input',
      )
      .argument('<url>', 'the address of the service, such as https://hooks.example.com')
      .addHelpText('after', '\n--profile gives the service a name; without it, the name is its host.')
      .action(action(actions, 'login')),
    new Command('logout')
      .description('forgets the service and the key of the last login, or of --profile')
      .action(action(actions, 'logout')),
    profiles,
  ];
}
