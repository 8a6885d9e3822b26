// The npm packages of tests/clients, which are installed here.
export { Validator } from '@seriousme/openapi-schema-validator';
export { default as Ajv } from 'ajv/dist/2020.js';
export { default as generateTypes, astToString } from 'openapi-typescript';
