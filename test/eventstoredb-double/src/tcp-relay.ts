import { connect, type Socket } from 'node:net';
import { Connections, host } from './connections.js';

export type TcpRelay = {
  /** URL of the target, by way of the relay. */
  url: string;
  /** Acts as a server that is down: cuts all connections, and refuses new ones. */
  refuse: () => Promise<void>;
  /** Acts as a server that hangs: takes connections and requests, and hands nothing on. */
  silence: () => void;
  /** Acts as a firewall that has forgotten all connections: open ones are dead, without notice to either side. */
  forget: () => void;
  /** Acts as a network that breaks at the worst moment: cuts the next connection whose server answers, before it hands on the answer. */
  cutNextAnswer: () => void;
  /** Hands on again, also what came meanwhile. */
  restore: () => Promise<void>;
  close: () => Promise<void>;
};

/** Stands between clients and the server of this URL, and can behave like a failing server. */
export async function startTcpRelay(target: string): Promise<TcpRelay> {
  const to = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let silent = false;
  let cutsAnswer = false;

  function handOn([near, far]: readonly [Socket, Socket]): void {
    far.on('data', () => {
      if (cutsAnswer) near.resetAndDestroy();
      cutsAnswer = false;
    });
    near.pipe(far);
    far.pipe(near);
  }

  const connections = new Connections(0, (near) => {
    const far = connect({ host: to.hostname, port: Number(to.port), noDelay: true });
    const pair = [near, far] as const;
    pairs.add(pair);
    far.on('error', () => near.destroy());
    far.on('close', () => near.destroy());
    near.on('close', () => {
      far.destroy();
      pairs.delete(pair);
    });
    if (!silent) handOn(pair);
  });
  await connections.open();

  const url = new URL(target);
  url.host = `${host}:${connections.port}`;
  url.searchParams.set('directConnection', 'true'); // other servers are not reachable past the relay

  function halt(): void {
    for (const pair of pairs) {
      for (const socket of pair) socket.unpipe().pause();
    }
  }

  async function refuse(): Promise<void> {
    connections.close();
    await connections.cut();
  }

  return {
    url: url.href,
    refuse,
    silence() {
      silent = true;
      halt();
    },
    forget() {
      halt();
      pairs.clear();
    },
    cutNextAnswer() {
      cutsAnswer = true;
    },
    async restore() {
      if (silent) pairs.forEach(handOn);
      silent = false;
      await connections.open();
    },
    close: refuse,
  };
}
