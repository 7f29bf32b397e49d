import { expect } from 'chai';
import { InvalidGrant } from '../../../src/access/errors.js';
import { generateSigningKeys, type SigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { ownCodes } from '../../../src/access/providers/own-codes.js';
import { codesByIssuer } from '../../../src/access/sign-in/codes.js';
import { rejection } from '../../support/rejection.js';
import { tokenService } from '../tokens/token-service.js';

const issuer = 'https://hooks.example.com';
const request = {
  clientId: 'zapier',
  redirectUri: 'https://platform.example/',
  scopes: ['listeners', 'flows:publish'],
};
const user = { userId: 'ada', orgId: 'acme' };

describe('a code of the service itself', () => {
  let keys: SigningKeys;
  let ms = Date.now();
  before(async () => {
    keys = await signingKeys(generateSigningKeys());
  });
  const codes = () => ownCodes({ issuer, signingKeys: keys, now: () => new Date(ms) });
  const verify = (code: string) => codesByIssuer(new Map([[issuer, codes().verification]])).verify(code);
  const claimsOf = (code: string) => JSON.parse(Buffer.from(code.split('.')[1] ?? '', 'base64url').toString());

  it('names user, organisation, client, redirect URI and scope, and works for two minutes', async () => {
    const code = await codes().issue(request, user);
    expect(await verify(code)).to.include({ issuer, ...user });
    const { jti, iat, exp, ...claims } = claimsOf(code);
    expect(claims).to.deep.equal({
      iss: issuer,
      aud: issuer,
      sub: 'ada',
      org_id: 'acme',
      client_id: 'zapier',
      redirect_uri: 'https://platform.example/',
      scope: 'listeners flows:publish',
    });
    expect(exp - iat).to.equal(120);
    expect(jti).to.not.equal(claimsOf(await codes().issue(request, user)).jti);
    ms += 200_000;
    expect(await rejection(verify(code))).to.be.instanceOf(InvalidGrant);
  });

  it('is refused without a client, as after the last one was removed', async () => {
    const tokens = await tokenService({ codes: codes().verification });
    const exchanging = tokens.exchange(await codes().issue(request, user));
    expect(await rejection(exchanging)).to.be.instanceOf(InvalidGrant);
    await tokens.close();
  });

  it('is no access token, and an access token is no code', async () => {
    const code = await codes().issue(request, user);
    expect(JSON.parse(Buffer.from(code.split('.')[0] ?? '', 'base64url').toString())).to.include({ typ: 'code+jwt' });
    const accessToken = await keys.sign(claimsOf(code), 'at+jwt');
    expect(await rejection(verify(accessToken))).to.be.instanceOf(InvalidGrant);
  });

  it('is refused if its issuer is none of the known ones, or its text is none', async () => {
    const claims = claimsOf(await codes().issue(request, user));
    for (const iss of ['https://id.example', undefined]) {
      const code = await keys.sign({ ...claims, iss }, 'code+jwt');
      expect(await rejection(verify(code))).to.be.instanceOf(InvalidGrant);
    }
    for (const code of ['', 'nonsense', 'a.b.c']) {
      expect(await rejection(verify(code))).to.be.instanceOf(InvalidGrant);
    }
  });
});
