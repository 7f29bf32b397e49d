import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { listenerPools } from '../../src/deliveries/posting/listener-pools.js';
import { type Post, postThrough } from '../../src/deliveries/posting/post.js';
import { type TargetGuard, targetGuard } from '../../src/deliveries/target-guard/target-guard.js';
import { TooManyRequests } from '../../src/http/errors.js';
import {
  CallbackNotVerified,
  callbackPools,
  callbackVerification,
  type VerifyCallback,
} from '../../src/mcp/callbacks.js';
import { rejection } from '../support/rejection.js';
import { until } from '../support/until.js';

const development = { allowHttp: true, allowLoopback: true, allowedTargets: [] };
const production = { allowHttp: false, allowLoopback: false, allowedTargets: [] };
const subscription = {
  secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  subscriptionId: `sub_${'0'.repeat(32)}`,
};

describe('the verification of a callback', () => {
  let server: Server;
  let port: number;
  let connections: number;
  let paths: (string | undefined)[];
  let answer: (challenge: string, response: ServerResponse) => unknown;
  let pools: ReturnType<typeof listenerPools>;
  beforeEach(async () => {
    [connections, paths] = [0, []];
    answer = (challenge, response) => response.end(JSON.stringify({ challenge }));
    server = createServer(async (request, response) => {
      paths.push(request.url);
      answer((JSON.parse(await text(request)) as { challenge: string }).challenge, response);
    });
    server.on('connection', () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(async () => {
    await pools.destroy();
    server.closeAllConnections();
    server.close();
  });

  const verification = ({ connect }: TargetGuard = targetGuard(development)): VerifyCallback => {
    pools = listenerPools({ connect, connections: 1, maxPools: 10 });
    return callbackVerification(postThrough(pools));
  };
  const ofPath = (path: string, caller = 'ada') => ({
    ...subscription,
    orgId: 'acme',
    caller,
    url: `http://127.0.0.1:${port}${path}`,
  });
  const reasonOf = async (verified: Promise<void>) => {
    const refusal = await rejection(verified);
    return refusal instanceof CallbackNotVerified ? refusal.reason : refusal;
  };

  it('connects to no internal address, to which the name has changed since the subscribe was accepted', async () => {
    const addresses = ['8.8.8.8', '127.0.0.1'];
    const guard = targetGuard(production, {
      resolve: async () => [{ address: addresses.shift() ?? '127.0.0.1', family: 4 }],
    });
    const url = `https://rebind.agent.example:${port}/hook`;
    await guard.check(url);
    expect(await reasonOf(verification(guard)({ ...ofPath(''), url }))).to.equal('connection_failed');
    expect(addresses).to.eql([]);
    expect(connections).to.equal(0);
  });

  it('accepts no challenge of an earlier one', async () => {
    const verify = verification();
    let earlier = '';
    answer = (challenge, response) => {
      earlier = challenge;
      response.end('{}');
    };
    expect(await reasonOf(verify(ofPath('/hook')))).to.equal('challenge_failed');
    answer = (_, response) => response.end(JSON.stringify({ challenge: earlier }));
    expect(await reasonOf(verify(ofPath('/hook')))).to.equal('challenge_failed');
  });

  it('says that a connection broke off, after the headers or in too many of them', async () => {
    const verify = verification();
    for (const leave of [
      (response: ServerResponse) => response.writeHead(200, { 'content-length': '99' }).write('{'),
      (response: ServerResponse) => response.writeHead(200, { 'x-long': 'y'.repeat(200_000) }).end('{}'),
    ]) {
      answer = (_, response) => {
        leave(response);
        setTimeout(() => response.destroy(), 20);
      };
      expect(await reasonOf(verify(ofPath('/hook')))).to.equal('connection_failed');
    }
  });

  it('follows no redirect to a URL that would return the challenge', async () => {
    const verify = verification();
    const returned = answer;
    answer = (challenge, response) => {
      if (paths.at(-1) === '/other') returned(challenge, response);
      else response.writeHead(307, { location: '/other' }).end(JSON.stringify({ challenge }));
    };
    expect(await reasonOf(verify(ofPath('/hook')))).to.equal('http_status');
    expect(paths).to.eql(['/hook']);
  });

  it('holds for its caller and URL alone, and for none after a refusal', async () => {
    const verify = verification();
    await verify(ofPath('/hook'));
    await verify(ofPath('/hook'));
    expect(paths).to.eql(['/hook']);
    answer = (_, response) => response.end('{}');
    for (const callback of [ofPath('/other'), ofPath('/hook?x'), ofPath('/hook', 'eve'), ofPath('/hook', 'eve')])
      expect(await reasonOf(verify(callback))).to.equal('challenge_failed');
    await verify(ofPath('/hook'));
  });

  describe('at a host at which many fail within a minute', () => {
    let posts: number;
    let hang: boolean;
    /** Ends the posts that hang: true, as callbacks that return the challenge. */
    let end: (returned: boolean) => void;
    let verify: VerifyCallback;
    beforeEach(() => {
      posts = 0;
      hang = false;
      const hanging: ((returned: boolean) => void)[] = [];
      end = (returned) => {
        for (const each of hanging.splice(0)) each(returned);
      };
      verify = callbackVerification(async ({ body }) => {
        posts += 1;
        const isReturned = hang && (await new Promise<boolean>((resolve) => hanging.push(resolve)));
        return isReturned
          ? { kind: 'answered', status: 200, answer: body ?? '' }
          : { kind: 'failed', error: 'timeout' };
      });
      verification();
    });
    const of = (orgId: string, caller = 'eve') => ({ ...ofPath('/hook', `${caller} of ${orgId}`), orgId });
    const outcomeOf = (verified: Promise<void>) =>
      verified.then(
        () => 'verified',
        (error: unknown) => error,
      );
    const outcomesOf = (orgId: string, count: number) =>
      Array.from({ length: count }, (_, number) => outcomeOf(verify(of(orgId, `late-${number}`))));
    async function fail(orgId: string, count: number): Promise<void> {
      for (let number = 0; number < count; number += 1)
        await rejection(verify({ ...of(orgId, `user-${number % 12}`), url: `http://127.0.0.1:${port}/${number}` }));
    }

    it('is refused to all callers of the organisation, and to none of another one', async () => {
      await fail('acme', 120);
      expect(await reasonOf(verify(of('acme')))).to.be.instanceOf(TooManyRequests);
      expect(posts).to.equal(120);
      expect(await reasonOf(verify({ ...of('acme'), url: 'https://agent.example/hook' }))).to.equal('timeout');
      expect(await reasonOf(verify(of('globex')))).to.equal('timeout');
    });

    it('is refused while those under way may fail too, and not once they have succeeded', async () => {
      await fail('acme', 118);
      hang = true;
      const many = outcomesOf('acme', 5);
      await until(() => posts === 120, 'the last two');
      expect((await Promise.all(many.slice(2))).every((each) => each instanceof TooManyRequests)).to.equal(true);
      end(true);
      expect(await Promise.all(many.slice(0, 2))).to.eql(['verified', 'verified']);
      hang = false;
      for (const caller of ['ada', 'bob', 'eve']) await outcomeOf(verify(of('acme', caller)));
      expect(posts).to.equal(122);
    });

    it('is sent to five at once for an organisation, others wait, and those of another organisation do not', async () => {
      hang = true;
      const many = outcomesOf('acme', 26);
      let refusal: unknown;
      void Promise.race(many).then((first) => {
        refusal = first;
      });
      await until(() => refusal !== undefined, 'the last one to be refused');
      expect(refusal).to.be.instanceOf(TooManyRequests);
      expect(posts).to.equal(5);
      const another = outcomeOf(verify(of('globex')));
      await until(() => posts === 6, 'the one of another organisation');
      end(true);
      await until(() => posts === 11, 'the next five');
      hang = false;
      end(true);
      await Promise.all([...many, another]);
      expect(posts).to.equal(26);
    });

    it('is refused to all if many organisations have failed', async () => {
      for (let number = 0; number < 10; number += 1) await fail(`org-${number}`, 120);
      expect(await reasonOf(verify(of('globex')))).to.be.instanceOf(TooManyRequests);
      expect(posts).to.equal(1_200);
    });
  });

  it('has a connection to a host at which all notices, and those of three other organisations, hang', async () => {
    const hanging: ServerResponse[] = [];
    const returned = answer;
    answer = (challenge, response) =>
      paths.at(-1) === '/hangs' ? hanging.push(response) : returned(challenge, response);
    pools = callbackPools(targetGuard(development).connect);
    const through = postThrough(pools);
    const post: Post = (request) => through({ ...request, timeoutMs: 20_000 }); // the usual time is short for a busy machine
    const verify = callbackVerification(post);
    const notice = { url: ofPath('/hangs').url, headers: {}, body: '{}', mayStart: () => true, timeoutMs: 20_000 };
    const all: Promise<unknown>[] = Array.from({ length: 20 }, () => post(notice));
    for (const orgId of ['one', 'two', 'three'])
      for (let number = 0; number < 10; number += 1)
        all.push(reasonOf(verify({ ...ofPath('/hangs', `${orgId} ${number}`), orgId })));
    await until(() => hanging.length === 35, 'those of the notices and of the three organisations');
    await verify(ofPath('/hook'));
    answer = (_, response) => response.end('{}');
    for (const each of hanging) each.end('{}');
    await Promise.all(all);
  }).timeout(60_000);

  it('is not waited for longer than 5 s, in which an answer counts', async () => {
    const limits: number[] = [];
    const verify = callbackVerification(async ({ timeoutMs }) => {
      limits.push(timeoutMs);
      return { kind: 'failed', error: 'timeout' };
    });
    verification();
    expect(await reasonOf(verify(ofPath('/hook')))).to.equal('timeout');
    expect(limits).to.eql([5_000]);
  });
});
