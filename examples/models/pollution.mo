model Pollution "chemistry of air: 25 reactions of 20 species (Verwer 1994)"
  Real NO2, NO(start = 0.2), O3P, O3(start = 0.04), HO2, OH, HCHO(start = 0.1), CO(start = 0.3), ALD(start = 0.01), MEO2;
  Real C2O3, CO2, PAN, CH3O, HNO3, O1D, SO2(start = 0.007), SO4, NO3, N2O5;
  Real r[25] "rates of the reactions";
equation
  r = {0.35*NO2, 26.6*NO*O3, 1.23e4*HO2*NO, 0.86e-3*HCHO, 0.82e-3*HCHO, 1.5e4*HCHO*OH, 0.13e-3*ALD, 2.4e4*ALD*OH,
       1.65e4*C2O3*NO, 9e3*C2O3*NO2, 0.022*PAN, 1.2e4*MEO2*NO, 1.88*CH3O, 1.63e4*NO2*OH, 4.8e6*O3P, 0.35e-3*O3,
       0.0175*O3, 1e8*O1D, 4.44e11*O1D, 1.24e3*SO2*OH, 2.1*NO3, 5.78*NO3, 0.0474*NO2*O3, 1.78e3*NO3*NO2, 3.12*N2O5};
  der(NO2) = r[2] + r[3] + r[9] + r[11] + r[12] + r[22] + r[25] - r[1] - r[10] - r[14] - r[23] - r[24];
  der(NO) = r[1] + r[21] - r[2] - r[3] - r[9] - r[12];
  der(O3P) = r[1] + r[17] + r[19] + r[22] - r[15];
  der(O3) = r[15] - r[2] - r[16] - r[17] - r[23];
  der(HO2) = 2*r[4] + r[6] + r[7] + r[13] + r[20] - r[3];
  der(OH) = r[3] + 2*r[18] - r[6] - r[8] - r[14] - r[20];
  der(HCHO) = r[13] - r[4] - r[5] - r[6];
  der(CO) = r[4] + r[5] + r[6] + r[7];
  der(ALD) = -r[7] - r[8];
  der(MEO2) = r[7] + r[9] - r[12];
  der(C2O3) = r[8] + r[11] - r[9] - r[10];
  der(CO2) = r[9];
  der(PAN) = r[10] - r[11];
  der(CH3O) = r[12] - r[13];
  der(HNO3) = r[14];
  der(O1D) = r[16] - r[18] - r[19];
  der(SO2) = -r[20];
  der(SO4) = r[20];
  der(NO3) = r[23] + r[25] - r[21] - r[22] - r[24];
  der(N2O5) = r[24] - r[25];
  annotation(experiment(StopTime = 60));
end Pollution;
