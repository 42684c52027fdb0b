export default {
  // The tests are ES modules and import the package as built: nothing to transform.
  transform: {},
  testEnvironment: 'node',
  // Jest leaves one core to itself, which is half of two.
  maxWorkers: '100%',
  testMatch: ['<rootDir>/test/{unit,property,docs}/**/*.test.js'],
};
