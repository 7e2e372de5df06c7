const { word } = require("words");

exports.greet = (name) => `${word}, ${name}`;
