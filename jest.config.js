export default {
  // The tests are ES modules and import the package as built: nothing to transform.
  transform: {},
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/{unit,property,docs}/**/*.test.js'],
};
