/** The accounts of the test's identity provider, by the name that the user types in, with their claims. */
export const accounts: Readonly<Record<string, object>> = {
  ada: {
    name: 'Ada <Lovelace>',
    organisations: [
      { id: 'acme', name: 'Acme & Sons' },
      { id: 'globex', name: 'Globex' },
      { id: 'initech', name: 'Initech' },
    ],
  },
  bob: { organisations: 'acme', groups: ['all', 'listeners-viewers'] },
  grace: { groups: ['listeners-viewers', 'listeners-operators'] },
  eve: {},
};
