import { z } from 'zod';
import { setting } from '../kernel/settings/setting.js';
import { choice } from '../kernel/settings/texts.js';
import { quota } from '../listeners/settings.js';
import { eventNumberings } from './protocol.js';

export const mcpSettings = z.object({
  isOn: setting(
    'MCP',
    choice('on', 'off')
      .prefault('off')
      .transform((text) => text === 'on'),
    { inDevelopment: 'on' },
  ),
  eventNumbering: setting('MCP_EVENT_ERRORS', choice(...eventNumberings).prefault('sketch')),
  /** Maximum of subscriptions for one member; undefined: any number. */
  maxSubscriptions: setting('MAX_AGENT_SUBSCRIPTIONS', quota.prefault('100'), { inDevelopment: 'off' }),
});
