import type { Subject } from '../route-command.js';

const profiles = () => import('../connection/login.js');

export function addCommands({ addByHand }: Subject): void {
  addByHand('list', 'lists the profiles; commands are for the current one unless they say otherwise', profiles, 'list');
  addByHand('use', 'makes a profile the current one', profiles, 'use').argument('<profile>', 'its name');
}
