import {
  changeOrganisationSettingsRoute,
  eraseOrganisationRoute,
  showOrganisationSettingsRoute,
} from '../../admin/api/contracts/organisations.js';
import { UsageError } from '../failure.js';
import { counted, printResult } from '../output.js';
import type { Subject } from '../route-command.js';

export function addCommands({ add }: Subject): void {
  add('settings', changeOrganisationSettingsRoute, {
    about:
      'shows the defaults of an organisation’s new listeners and the check of its flow events, and changes what is given',
    texts: { eventTypeCheck: 'flow events that do not match their event type' },
    async runs({ orgId, ...change }, { output, call }) {
      const settings =
        Object.keys(change).length > 0
          ? await call(changeOrganisationSettingsRoute, { orgId, ...change })
          : { ...(await call(showOrganisationSettingsRoute, { orgId })), changed: [] };
      const order = settings.ordered ? 'in order' : 'in no order';
      const pace =
        settings.ratePerSecond === null ? 'no rate of their own' : `at most ${settings.ratePerSecond} a second`;
      const check = `check of event types: ${settings.eventTypeCheck}`;
      printResult(output, settings, `new listeners of ${orgId} get deliveries ${order}, ${pace}; ${check}`);
    },
  });
  add('erase', eraseOrganisationRoute, {
    about: 'deletes all data of an organisation; run again, it completes an interrupted erasure',
    args: { orgId: 'organisation' },
    texts: { confirm: 'its ID again: erased data cannot be restored' },
    send(given) {
      if (given.confirm !== given.orgId) throw new UsageError('--yes must repeat the organisation');
      return given;
    },
    says({ streams, flowStreams, elsewhere }, { orgId }) {
      const names = elsewhere.slice(0, 10).join(', ');
      const left = names === '' ? '' : `; streams of other organisations name it too, and are kept: ${names}`;
      if (streams + flowStreams === 0) return `nothing to erase: ${orgId} is unknown, or was erased already${left}`;
      return `${orgId} is erased: ${counted(streams, 'stream')} and ${counted(flowStreams, 'stream')} of flow events were deleted${left}`;
    },
  });
}
