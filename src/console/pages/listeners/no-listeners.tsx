import { Copyable, Empty } from '../../components/card.js';

/** Instead of the table, where a search has found none. */
export const NoneFound = ({ more }: { readonly more: boolean }) => (
  <Empty title={more ? 'None so far' : 'No listeners match'}>
    <p>{more ? 'There are more listeners to search.' : 'Search for less of the URL, or in another state.'}</p>
  </Empty>
);

const subscribeCommand = `curl -X POST "$PUBLIC_URL/api/hooks/subscribe/flows" \\
  -H 'content-type: application/json' -H 'orgid: acme' -H 'userid: 42' \\
  -d '{"hookUrl": "https://hooks.example.com/1", "subscriptionType": "flow.*"}'`;

/** Instead of the table, where no listener is registered. */
export const NoListeners = () => (
  <Empty title="No listeners are registered">
    <p>A platform registers one when a user switches on an automation. To try it:</p>
    <Copyable text={subscribeCommand} />
  </Empty>
);
