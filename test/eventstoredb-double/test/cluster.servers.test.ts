import { EventStoreDBClient, NotLeaderError, UnavailableError } from '@eventstore/db-client';
import { expect } from 'chai';
import { type EventStoreCluster, type Member, startEventStoreCluster } from '../src/start-cluster.js';
import { event, events, failureOf, isPending, readTypes, unary, until, watch } from './support.js';

describe('the double of a cluster of EventStoreDB', () => {
  let cluster: EventStoreCluster;
  let leader: Member;
  let follower: Member;
  const clients: EventStoreDBClient[] = [];

  beforeEach(async () => {
    cluster = await startEventStoreCluster({ detectMs: 100, electMs: 200 });
    const [first] = cluster.followers;
    if (!cluster.leader || !first) throw new Error('the cluster is not complete');
    leader = cluster.leader;
    follower = first;
  });
  afterEach(async () => {
    for (const member of cluster.members) await cluster.thaw(member);
    await Promise.all(clients.splice(0).map((client) => client.dispose()));
    await cluster.stop();
  });

  function connect(url = cluster.url): EventStoreDBClient {
    const client = EventStoreDBClient.connectionString(url);
    clients.push(client);
    return client;
  }
  const connectTo = ({ port }: Member) => connect(`esdb://127.0.0.1:${port}?tls=false`);

  it('has one log: events appended at the leader are read and pushed at each node', async () => {
    const live = watch(connectTo(follower).subscribeToStream('orders'));
    await connect().appendToStream('orders', events(2));
    await live.has('e1');
    for (const member of cluster.members)
      expect(await readTypes(connectTo(member), 'orders')).to.deep.equal(['e0', 'e1']);
  });

  it('names in the gossip of each node who leads and who follows', async () => {
    for (const preference of ['leader', 'follower'] as const) {
      const live = watch(connect(`${cluster.url}&nodePreference=${preference}`).subscribeToStream('orders'));
      await connect().appendToStream('orders', event('placed'));
      await live.has('placed');
    }
    const subscriptions = cluster.members.map(({ node }) => node.subscriptions);
    expect(subscriptions.toSorted()).to.deep.equal([0, 1, 1]);
    expect(leader.node.subscriptions).to.equal(1);
  });

  it('refuses at a follower what requires the leader, and says where that is', async () => {
    const refused = await failureOf(connectTo(follower).appendToStream('orders', event('placed'), unary()));
    expect(refused).to.be.instanceOf(NotLeaderError);
    expect(refused).to.have.deep.property('leader', { address: '127.0.0.1', port: leader.port });
  });

  it('has no leader from when its leader is found to be frozen, and then another', async () => {
    cluster.freeze(leader);
    // Longer than the client's search for the next leader, which may ask the frozen node first.
    const stuck = connectTo(leader).appendToStream('orders', event('placed'), unary(60_000));
    expect(await isPending(stuck)).to.equal(true); // 200 ms
    expect(cluster.leader).to.equal(undefined);
    const refused = await failureOf(connectTo(follower).appendToStream('orders', event('placed'), unary()));
    expect(refused).to.be.instanceOf(UnavailableError);
    await until(() => cluster.leader !== undefined, 'another leader');
    await connect().appendToStream('orders', event('paid'), unary());

    await cluster.thaw(leader);
    expect(await failureOf(stuck)).to.be.instanceOf(NotLeaderError);
    expect(await readTypes(connectTo(leader), 'orders')).to.deep.equal(['paid']);
  });

  it('keeps its leader if that continues before another node has noticed', async () => {
    cluster.freeze(leader);
    await cluster.thaw(leader);
    await connect().appendToStream('orders', event('placed'));
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(cluster.leader).to.equal(leader);
  });
});
